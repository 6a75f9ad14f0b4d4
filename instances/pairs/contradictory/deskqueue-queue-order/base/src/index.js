export { TicketQueue } from './queue.js';
export { LEVELS, parsePriority } from './priorities.js';
export { DEFAULT_SETTINGS, checkSettings } from './settings.js';
export { loadQueue, saveQueue } from './store.js';
export { importTickets } from './intake.js';
export { renderBoard, renderHandover, renderList, renderSummary, listAsJson } from './format.js';
export { DeskError, NotFoundError, SettingError, StateError, TicketError, UsageError } from './errors.js';
export { main } from './cli/main.js';
