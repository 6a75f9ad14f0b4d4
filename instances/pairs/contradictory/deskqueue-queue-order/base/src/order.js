import { rankOf } from './priorities.js';

/** Negative when `left` is to be helped before `right`. */
export function compareTickets(left, right) {
  const byPriority = rankOf(right.priority) - rankOf(left.priority);
  if (byPriority !== 0) return byPriority;
  const byAge = Date.parse(left.openedAt) - Date.parse(right.openedAt);
  if (byAge !== 0) return byAge;
  return left.number - right.number;
}

/** Puts `ticket` into its place among `sorted`, found by halving. */
export function insertInOrder(sorted, ticket) {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareTickets(sorted[middle], ticket) < 0) low = middle + 1;
    else high = middle;
  }
  sorted.splice(low, 0, ticket);
}

/** Takes the ticket with that number out of the list, if it is there. */
export function takeOut(list, number) {
  const index = list.findIndex((ticket) => ticket.number === number);
  if (index >= 0) list.splice(index, 1);
}
