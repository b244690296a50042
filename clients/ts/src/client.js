// The client: everything that a program asks of a daemon over HTTP, room by room of this folder.
import { Memory } from './memory.js';

export class Client extends Memory {}
