export class Client extends ChangeSets {
}
import { ChangeSets } from './change_sets.js';
