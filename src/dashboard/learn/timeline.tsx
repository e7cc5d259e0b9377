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

/** The events of a session, newest first. */
export function Timeline({ detail: { timeline, boundaries } }: { readonly detail: LearnSessionDetail }) {
  const newest = timeline.toSorted((a, b) => b.created_at.localeCompare(a.created_at) || b.seq - a.seq)
  const labels = new Map(boundaries.map((one) => [`boundary:${one.boundary_id}`, one.label ?? formatName(one.kind)]))
  return (
    <details class="panel timeline" open>
      <summary>{t.session.timeline}</summary>
      <ol reversed>
        {newest.map((event) => (
          <Row key={event.timeline_event_id} event={event} boundaryLabel={labels.get(event.ref ?? '')} />
        ))}
      </ol>
    </details>
  )
}

function Row({
  event,
  boundaryLabel,
}: {
  readonly event: LearnTimelineEvent
  readonly boundaryLabel: string | undefined
}) {
  const { kind, label, from_state, to_state, created_at } = event
  return (
    <li class={kind}>
      <Icon name={ICONS[kind]} size={14} />
      <span>
        {label}
        {boundaryLabel !== undefined && `: ${boundaryLabel}`}
      </span>
      {from_state !== undefined && to_state !== undefined && (
        <small>
          {formatName(from_state)} → {formatName(to_state)}
        </small>
      )}
      <Time at={created_at} />
    </li>
  )
}
