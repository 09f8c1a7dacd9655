/** Colors of one theme, each `#rrggbb`. Plain text keeps the terminal's own color. */
export type Palette = {
  ground: 'dark' | 'light';
  accent: string;
  muted: string;
  border: string;
  heading: string;
  link: string;
  code: string;
  success: string;
  warning: string;
  error: string;
  selection: string;
  promptGround: string;
  addedGround: string;
  addedMark: string;
  removedGround: string;
  removedMark: string;
  keyword: string;
  string: string;
  number: string;
  comment: string;
  function: string;
  type: string;
  constant: string;
  tag: string;
};

const dark: Palette = {
  ground: 'dark',
  accent: '#7aa2f7',
  muted: '#8b93a7',
  border: '#4b5468',
  heading: '#9ec1ff',
  link: '#6cb6ff',
  code: '#e6b673',
  success: '#7fc98b',
  warning: '#e0b458',
  error: '#f07178',
  selection: '#2f3b54',
  promptGround: '#262b36',
  addedGround: '#16291d',
  addedMark: '#24573a',
  removedGround: '#301a1e',
  removedMark: '#6b2a33',
  keyword: '#c79bf0',
  string: '#9fce7e',
  number: '#f0a36b',
  comment: '#76809a',
  function: '#78b6ff',
  type: '#6fd0c5',
  constant: '#f0a36b',
  tag: '#f07178',
};

const light: Palette = {
  ground: 'light',
  accent: '#2f5fd0',
  muted: '#667085',
  border: '#b3bac8',
  heading: '#1f4fbf',
  link: '#0b62c4',
  code: '#9a5a00',
  success: '#1f7a3d',
  warning: '#8f6200',
  error: '#c0303b',
  selection: '#d7e3fb',
  promptGround: '#eef1f7',
  addedGround: '#e3f6e8',
  addedMark: '#a9e2b8',
  removedGround: '#fde8e9',
  removedMark: '#f5b5ba',
  keyword: '#7b3fc4',
  string: '#3c7a1e',
  number: '#b1540c',
  comment: '#737d92',
  function: '#1f5fc0',
  type: '#0f7c74',
  constant: '#b1540c',
  tag: '#c0303b',
};

/** Every theme by name. The first of each background is what `auto` chooses. */
export const palettes = {
  dark,
  light,
  ember: {
    ...dark,
    accent: '#f2a65a',
    muted: '#a1917f',
    border: '#5c4f43',
    heading: '#ffc27a',
    link: '#7fb8c9',
    code: '#e8c08a',
    success: '#a9c77d',
    warning: '#f0c05a',
    error: '#ef6f5e',
    selection: '#463528',
    promptGround: '#2f2720',
    keyword: '#ef8a62',
    string: '#b8c77a',
    number: '#e3a5c4',
    comment: '#8d7d6c',
    function: '#f4c06a',
    type: '#82c0b0',
    constant: '#e3a5c4',
    tag: '#ef8a62',
  },
  fjord: {
    ...dark,
    accent: '#88c0d0',
    muted: '#8794aa',
    border: '#4c566a',
    heading: '#a3d0df',
    link: '#81a1c1',
    code: '#d6c79a',
    success: '#a3be8c',
    warning: '#ebcb8b',
    error: '#d0737d',
    selection: '#36435a',
    promptGround: '#2f3645',
    keyword: '#81a1c1',
    string: '#a3be8c',
    number: '#c39ac0',
    comment: '#75829a',
    function: '#88c0d0',
    type: '#8fbcbb',
    constant: '#c39ac0',
    tag: '#81a1c1',
  },
  moss: {
    ...dark,
    accent: '#8fc97a',
    muted: '#8b9a8a',
    border: '#48564a',
    heading: '#b4dd9a',
    link: '#7cc0b4',
    code: '#d9c27c',
    success: '#8fc97a',
    warning: '#dcb65e',
    error: '#e07a6d',
    selection: '#2c4030',
    promptGround: '#242e26',
    keyword: '#8fc0a9',
    string: '#cfc178',
    number: '#dba06c',
    comment: '#77876f',
    function: '#a8d08d',
    type: '#7fb8c4',
    constant: '#dba06c',
    tag: '#8fc0a9',
  },
  paper: {
    ...light,
    accent: '#a04a1c',
    muted: '#7a6f62',
    border: '#c9bda9',
    heading: '#86390f',
    link: '#1c6a86',
    code: '#8a5a0a',
    selection: '#f0e2c8',
    promptGround: '#f7f0e2',
    keyword: '#a03a4a',
    string: '#56702a',
    number: '#8a4a8c',
    comment: '#867a6a',
    function: '#86500a',
    type: '#1c6f6a',
    constant: '#8a4a8c',
    tag: '#a03a4a',
  },
  mist: {
    ...light,
    accent: '#2a7f8f',
    muted: '#64748b',
    border: '#b4c2cc',
    heading: '#1c6474',
    link: '#2867a8',
    code: '#84602a',
    selection: '#d5e9ec',
    promptGround: '#ebf3f5',
    keyword: '#4a5cb0',
    string: '#2f7d5a',
    number: '#a0506a',
    comment: '#718096',
    function: '#1f7488',
    type: '#4a6a94',
    constant: '#a0506a',
    tag: '#4a5cb0',
  },
  /** Blue and orange instead of green and red, for color-blind users. */
  'clear-dark': {
    ...dark,
    accent: '#6cb6ff',
    success: '#6cb6ff',
    warning: '#ffd166',
    error: '#ff9f45',
    addedGround: '#13263f',
    addedMark: '#1f4f8a',
    removedGround: '#3a2510',
    removedMark: '#7a4a12',
    string: '#ffd166',
    keyword: '#8fc7ff',
    tag: '#ff9f45',
  },
  'clear-light': {
    ...light,
    accent: '#0b57b8',
    success: '#0b57b8',
    warning: '#7a5b00',
    error: '#a84a00',
    addedGround: '#e1eefc',
    addedMark: '#a8cdf5',
    removedGround: '#fdecdb',
    removedMark: '#f6c795',
    string: '#7a5b00',
    keyword: '#0b57b8',
    tag: '#a84a00',
  },
} as const satisfies Record<string, Palette>;
