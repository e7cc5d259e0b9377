import { fill, make } from './element.js'
import { formatTime, formatName } from './format.js'

/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnSessionDetail} LearnSessionDetail */
/** @typedef {import('@apprentice/contracts/learn/session.ts').LearnTimelineEvent} LearnTimelineEvent */

/** @type {Readonly<Record<LearnTimelineEvent['kind'], string>>} */
const MARKS = {
  lifecycle: '●',
  state_change: '→',
  boundary: '⚑',
  checkpoint: '✓',
  receipt: '≡',
  error: '✕',
}

/** The events of a session, newest first. */
export function createTimeline() {
  const list = make('ol', { reversed: true })
  const node = make('section', { className: 'panel timeline' }, make('h3', {}, 'Timeline'), list)
  return {
    node,
    /** @param {LearnSessionDetail} detail */
    show: ({ timeline, boundaries }) => {
      const newest = timeline.toSorted((a, b) => b.created_at.localeCompare(a.created_at) || b.seq - a.seq)
      const labels = new Map(
        boundaries.map((one) => [`boundary:${one.boundary_id}`, one.label ?? formatName(one.kind)]),
      )
      fill(list, ...newest.map((event) => createRow(event, labels.get(event.ref ?? ''))))
    },
  }
}

/**
 * @param {LearnTimelineEvent} event
 * @param {string | undefined} boundaryLabel
 */
function createRow({ kind, label, from_state, to_state, created_at }, boundaryLabel) {
  const transition =
    from_state !== undefined && to_state !== undefined
      ? `${formatName(from_state)} → ${formatName(to_state)}`
      : undefined
  return make(
    'li',
    { className: kind },
    make('span', { className: 'mark', 'aria-hidden': 'true' }, MARKS[kind]),
    make('span', {}, label, boundaryLabel !== undefined && `: ${boundaryLabel}`),
    transition !== undefined && make('small', {}, transition),
    make('time', { dateTime: created_at }, formatTime(created_at)),
  )
}
