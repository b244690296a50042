// The client: everything that a program asks of a daemon over HTTP, room by room of this folder.
import { Interactions } from './interactions.js';

export class Client extends Interactions {}
