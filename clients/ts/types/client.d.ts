export class Client extends ContextValues {
}
import { ContextValues } from './context_values.js';
