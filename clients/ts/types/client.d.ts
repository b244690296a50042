export class Client extends Memory {
}
import { Memory } from './memory.js';
