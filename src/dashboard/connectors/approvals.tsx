import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { AskFirstRecord } from '@apprentice/contracts/connectors/ask-first.ts'
import { isAdmin, privilege } from '../app/privilege.ts'
import { Empty, ReadFailure, Skeleton } from '../parts/basic.tsx'
import { further } from '../text/further.ts'
import { ApprovalRow } from './approval-row.tsx'
import { approvalFailure, approvals, reloadApprovals } from './approval-list.ts'
import { DecidedCall } from './decided-call.tsx'
import { useServers } from './server-list.ts'

/** The calls that wait for a decision. Those that expired stay visible for a day. */
export function Approvals() {
  const decided = useSignal<readonly AskFirstRecord[]>([])
  const servers = useServers().data.value?.servers ?? []
  const findName = (serverId: string): string =>
    servers.find(({ registry }) => registry.server_id === serverId)?.registry.display_name ?? serverId
  useEffect(() => void reloadApprovals(), [])
  const waiting = approvals.value
  if (waiting === undefined) {
    return approvalFailure.value === undefined ? (
      <Skeleton />
    ) : (
      <ReadFailure message={approvalFailure.value} onRetry={() => void reloadApprovals()} />
    )
  }
  const ordered = waiting.toSorted((a, b) => rank(a) - rank(b) || a.expires_at.localeCompare(b.expires_at))
  return (
    <>
      {privilege.value !== undefined && !isAdmin.value && <p class="hint">{further.approvals.adminOnly}</p>}
      {ordered.length === 0 && (
        <Empty icon="hand" title={further.approvals.none}>
          <p class="hint">{further.approvals.noneHint}</p>
        </Empty>
      )}
      <ul class="rows approvals">
        {ordered.map((record) => (
          <ApprovalRow
            key={record.dispatch_id}
            record={record}
            serverName={findName(record.server_id)}
            onDecided={(dispatch) => (decided.value = [dispatch, ...decided.value])}
          />
        ))}
      </ul>
      {decided.value.length > 0 && (
        <section class="panel" aria-live="polite">
          <h2>{further.approvals.decidedTitle}</h2>
          <ul class="plain lines">
            {decided.value.map((record) => (
              <DecidedCall key={record.dispatch_id} record={record} />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

/** What can still be decided comes first. */
const rank = ({ status }: AskFirstRecord): number => (status === 'pending' ? 0 : 1)
