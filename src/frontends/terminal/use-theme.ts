import { createContext, useContext } from 'react';
import { type Theme, themeOf } from './theme/theme.ts';

export const ThemeContext = createContext<Theme>(themeOf('dark', 'none'));

export function useTheme(): Theme {
  return useContext(ThemeContext);
}
