/**
 * Pauses, resumes or cancels a campaign that another process has started.
 *
 *   node examples/library/control-campaign.ts pause|resume|cancel NAME
 */
import { cancel, pause, resume } from 'hundredfold';

const [verb = 'pause', name = 'demo'] = process.argv.slice(2);
const control = new Map(Object.entries({ pause, resume, cancel })).get(verb);
if (control === undefined) throw new Error(`expected pause, resume or cancel, got ${verb}`);

const wasOpen = await control(name);
console.log(wasOpen ? `${verb}: sent to ${name}` : `${name} has already ended`);
