import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import type { LearnTimelineEvent } from '@apprentice/contracts/learn/session.ts'
import { Time } from '../parts/basic.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { formatName, t } from '../text/text.ts'

const ICONS: Readonly<Record<LearnTimelineEvent['kind'], IconName>> = {
  lifecycle: 'circle',
  state_change: 'next',
  boundary: 'plus',
  checkpoint: 'check',
  receipt: 'book',
  error: 'alert',
}

interface Line {
  readonly event: LearnTimelineEvent
  readonly text: string
  readonly count: number
}

/** These marks have an event of their own beside them. */
const REPEATED_MARKS = new Set(['start', 'pause', 'resume', 'stop', 'cancel'])

/** One line for events of the same text that follow each other, such as the tests of a draft. */
export function joinEqual(events: readonly LearnTimelineEvent[], labels: ReadonlyMap<string, string>): Line[] {
  const lines: Line[] = []
  for (const event of events) {
    const boundary = labels.get(event.ref ?? '')
    const name = t.events[event.event_kind] ?? event.label
    const text = boundary === undefined ? name : `${name}: ${boundary}`
    const last = lines.at(-1)
    if (last?.text === text && last.event.to_state === event.to_state) {
      lines[lines.length - 1] = { ...last, count: last.count + 1 }
    } else lines.push({ event, text, count: 1 })
  }
  return lines
}

/** The events of a session, newest first. */
export function Timeline({ detail: { timeline, boundaries } }: { readonly detail: LearnSessionDetail }) {
  const repeated = new Set(
    boundaries.flatMap(({ boundary_id, kind }) => (REPEATED_MARKS.has(kind) ? [`boundary:${boundary_id}`] : [])),
  )
  const newest = timeline
    .filter(({ ref }) => !repeated.has(ref ?? ''))
    .toSorted((a, b) => b.created_at.localeCompare(a.created_at) || b.seq - a.seq)
  const labels = new Map(boundaries.map((one) => [`boundary:${one.boundary_id}`, one.label ?? formatName(one.kind)]))
  return (
    <details class="panel timeline" open>
      <summary>{t.session.timeline}</summary>
      <ol reversed>
        {joinEqual(newest, labels).map((line) => (
          <Row key={line.event.timeline_event_id} line={line} />
        ))}
      </ol>
    </details>
  )
}

function Row({ line: { event, text, count } }: { readonly line: Line }) {
  const { kind, from_state, to_state, created_at } = event
  return (
    <li class={kind}>
      <Icon name={ICONS[kind]} size={14} />
      <span>{text}</span>
      {count > 1 && <small>{t.session.times(count)}</small>}
      {from_state !== undefined && to_state !== undefined && (
        <small>
          {formatName(from_state)} → {formatName(to_state)}
        </small>
      )}
      <Time at={created_at} />
    </li>
  )
}
