// The client: everything that a program asks of a daemon over HTTP, room by room of this folder.
import { ChangeSets } from './change_sets.js';

export class Client extends ChangeSets {}
