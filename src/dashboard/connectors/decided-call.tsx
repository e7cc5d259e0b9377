import { useRef } from 'preact/hooks'
import type { AskFirstRecord } from '@apprentice/contracts/connectors/ask-first.ts'
import { type ConnectorCall, getConnectorCall } from '@apprentice/contracts/connectors/dispatch.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge } from '../parts/basic.tsx'
import type { Tone } from '../parts/format.ts'
import { say } from '../text/say.ts'
import { further } from '../text/further.ts'

const POLL_MS = 2000
const TONES: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  failed: 'bad',
  interrupted: 'bad',
  queued: 'busy',
  running: 'busy',
}

/** A call that was decided on this page, and what became of it. It is asked about until it has ended. */
export function DecidedCall({ record }: { readonly record: AskFirstRecord }) {
  return (
    <li>
      <Badge icon={record.status === 'denied' ? 'ban' : 'check'}>{further.approvals.states[record.status]}</Badge>
      <span>{say(record.request_summary)}</span>
      {record.decision_reason !== undefined && <small>{record.decision_reason}</small>}
      {record.status !== 'denied' && <Progress dispatchId={record.dispatch_id} />}
    </li>
  )
}

function Progress({ dispatchId }: { readonly dispatchId: string }) {
  const ended = useRef<ConnectorCall | undefined>(undefined)
  const read = async (): Promise<ConnectorCall> => {
    // Nothing changes after its end.
    if (ended.current !== undefined) return ended.current
    const found = await call(getConnectorCall, { params: { dispatchId } })
    if (found.completed_at !== undefined) ended.current = found
    return found
  }
  const found = useResource(dispatchId, read, { pollMs: POLL_MS }).data.value
  if (found === undefined) return null
  const isRefused = found.status === 'succeeded' && found.result?.is_error === true
  return (
    <>
      <small>{further.approvals.call}</small>
      <Badge tone={isRefused ? 'bad' : (TONES[found.status] ?? 'plain')}>
        {isRefused ? further.approvals.callStates.failed : further.approvals.callStates[found.status]}
      </Badge>
      {found.status === 'running' && found.progress !== undefined && (
        <progress
          aria-label={further.approvals.call}
          {...(found.progress.total !== undefined && { value: found.progress.progress, max: found.progress.total })}
        />
      )}
      {found.error_message !== undefined && <small class="error">{say(found.error_message)}</small>}
    </>
  )
}
