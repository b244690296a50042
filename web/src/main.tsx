import { render } from 'preact';
import { App } from './shell/app';
import { enter } from './access';
import { startLive } from './connection';
import { startInbox } from './inbox/store';
import { startReadings } from './overview/readings';
import './styles/index.css';

const root = document.getElementById('app')!;
render(<App />, root);
enter();
startLive();
startInbox();
startReadings();
