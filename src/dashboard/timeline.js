import { fill, make } from './element.js'
import { clockTime, plain } from './words.js'

/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnSessionDetail} LearnSessionDetail */
/** @typedef {import('@apprentice/contracts/learn/session.ts').LearnTimelineEvent} LearnTimelineEvent */

/** @type {Readonly<Record<LearnTimelineEvent['kind'], string>>} */
const marks = {
  lifecycle: '●',
  state_change: '→',
  boundary: '⚑',
  checkpoint: '✓',
  receipt: '≡',
  error: '✕',
}

/** What has happened in a session, the newest on top. */
export function createTimeline() {
  const list = make('ol', { reversed: true })
  const node = make('section', { className: 'panel timeline' }, make('h3', {}, 'Timeline'), list)
  return {
    node,
    /** @param {LearnSessionDetail} detail */
    show: ({ timeline, boundaries }) => {
      const newest = timeline.toSorted(
        (a, b) => b.created_at.localeCompare(a.created_at) || b.seq - a.seq,
      )
      const named = new Map(
        boundaries.map((one) => [`boundary:${one.boundary_id}`, one.label ?? plain(one.kind)]),
      )
      fill(list, ...newest.map((event) => rowOf(event, named.get(event.ref ?? ''))))
    },
  }
}

/**
 * @param {LearnTimelineEvent} event
 * @param {string | undefined} words
 */
function rowOf({ kind, label, from_state, to_state, created_at }, words) {
  const moved =
    from_state !== undefined && to_state !== undefined
      ? `${plain(from_state)} → ${plain(to_state)}`
      : undefined
  return make(
    'li',
    { className: kind },
    make('span', { className: 'mark', 'aria-hidden': 'true' }, marks[kind]),
    make('span', {}, label, words !== undefined && `: ${words}`),
    moved !== undefined && make('small', {}, moved),
    make('time', { dateTime: created_at }, clockTime(created_at)),
  )
}
