// The chat without an agent, for tests in a browser and for screenshots.
import { mountChat } from '../mount.tsx';
import './demo.css';
import { ScriptedConnection } from './scripted-connection.ts';

window.scripted = new ScriptedConnection();
const element = document.getElementById('chat');
if (element) mountChat(element, { connection: window.scripted.connection });
