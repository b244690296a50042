export class Client extends Interactions {
}
import { Interactions } from './interactions.js';
