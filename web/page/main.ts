import { me, openSocket, signIn, signOut, takeCode } from './access.ts';

const app = document.getElementById('app') as HTMLElement;

async function start(): Promise<void> {
  const code = takeCode();
  if (code !== null && (await tryCode(code, ''))) return;
  const known = await me();
  if (known) showSignedIn(known.name, known.role);
  else if (code === null) showForm('');
}

/** Whether the page shows what follows from it. */
async function tryCode(code: string, name: string): Promise<boolean> {
  const result = await signIn(code, name);
  if (result === 'signed in') {
    await start();
    return true;
  }
  if (result === 'needs a name') showName(code);
  else
    showForm(
      result === 'wait'
        ? 'Too many wrong codes. Wait a little, then try again.'
        : 'This link does not work any more. Run `aca serve link` for a new one.',
    );
  return result === 'needs a name';
}

function showForm(message: string): void {
  const input = field('Token or code', { type: 'password', autocomplete: 'off', required: true });
  show('Sign in', message, input, 'Sign in', (value) => tryCode(value.trim(), ''));
}

function showName(code: string): void {
  const input = field('Your name, as others see it', { type: 'text', maxLength: 40, required: true });
  show('Join', '', input, 'Join', (name) => tryCode(code, name));
}

function showSignedIn(name: string, role: string): void {
  const status = element('p', 'Connecting…');
  const socket = openSocket();
  socket.addEventListener('open', () => status.replaceChildren('Connected.'));
  socket.addEventListener('close', () => status.replaceChildren('Disconnected.'));
  const leave = element('button', 'Sign out');
  leave.addEventListener('click', async () => {
    await signOut();
    showForm('Signed out.');
  });
  app.replaceChildren(element('h1', 'aca'), element('p', `Signed in as ${name} (${role}).`), status, leave);
}

function show(
  title: string,
  message: string,
  input: HTMLLabelElement,
  label: string,
  submit: (value: string) => Promise<unknown>,
): void {
  const form = document.createElement('form');
  const status = element('p', message);
  status.setAttribute('role', 'status');
  form.append(input, element('button', label));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit(input.querySelector('input')?.value ?? '');
  });
  app.replaceChildren(element('h1', title), status, form);
  input.querySelector('input')?.focus();
}

type FieldProperties = { type: string; autocomplete?: 'off'; maxLength?: number; required: boolean };

function field(label: string, properties: FieldProperties): HTMLLabelElement {
  const outer = document.createElement('label');
  outer.append(label, Object.assign(document.createElement('input'), properties));
  return outer;
}

/** Text is only ever set as text. */
function element<Name extends 'h1' | 'p' | 'button'>(name: Name, text: string): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

void start();
