import '../chat/style/chat.css';
import './style/page.css';
import { render } from 'preact';
import { applyTheme } from './state/preferences.ts';
import { App } from './views/app.tsx';

applyTheme();
const element = document.getElementById('app');
if (element) render(<App />, element);
