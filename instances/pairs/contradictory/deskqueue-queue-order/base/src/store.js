import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { DeskError } from './errors.js';
import { TicketQueue } from './queue.js';

/** The queue in `path`; an empty one with the default settings when there is no such file. */
export function loadQueue(path, { clock = Date.now } = {}) {
  if (!existsSync(path)) return new TicketQueue({ clock });
  let data;
  try {
    data = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new DeskError(`${path} cannot be read: ${error.message}`);
  }
  return TicketQueue.fromJSON(data, { clock });
}

/** Written beside and renamed, so that a crash leaves the old file. */
export function saveQueue(path, queue) {
  const beside = `${path}.new`;
  writeFileSync(beside, `${JSON.stringify(queue, null, 2)}\n`);
  renameSync(beside, path);
}
