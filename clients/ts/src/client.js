// The client: everything that a program asks of a daemon over HTTP, room by room of this folder.
import { ContextValues } from './context_values.js';

export class Client extends ContextValues {}
