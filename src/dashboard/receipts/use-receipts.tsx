import { useSignal } from '@preact/signals'
import { type CapabilityUseReceipt, listUseReceipts } from '@apprentice/contracts/abilities/runs.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { CONNECTOR_POLL } from '../api/poll.ts'
import { useResource } from '../api/resource.ts'
import { useServers } from '../connectors/server-list.ts'
import { Empty, ReadFailure, Skeleton } from '../parts/basic.tsx'
import { say } from '../text/say.ts'
import { further } from '../text/further.ts'
import { formatName, t } from '../text/text.ts'
import { ReceiptRow } from './receipt-row.tsx'

const LIMIT = 30

/** Every use of an ability: what, over which way, approved how, by whom. */
export function UseReceipts() {
  const older = useSignal<readonly CapabilityUseReceipt[]>([])
  const cursor = useSignal<number | undefined>(undefined)
  const { data, failure, reload } = useResource('uses', () => call(listUseReceipts, { query: { limit: LIMIT } }), {
    changesWith: ['ability.run.', 'capability.'],
    ...CONNECTOR_POLL,
  })
  const servers = useServers().data.value?.servers ?? []
  const names = new Map(servers.map(({ registry }) => [registry.server_id, registry.display_name]))
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton />
  const newest = data.value.receipts
  if (newest.length === 0) {
    return (
      <Empty icon="receipt" title={t.receipts.noUses}>
        <a class="button primary" href="/skills">
          {t.receipts.runOne}
        </a>
      </Empty>
    )
  }
  const known = new Set(newest.map(({ receipt_id }) => receipt_id))
  const next = older.value.length === 0 ? data.value.next_cursor : cursor.value
  const readOlder = () =>
    attempt(async () => {
      const page = await call(listUseReceipts, { query: { limit: LIMIT, cursor: next } })
      older.value = [...older.value, ...page.receipts]
      cursor.value = page.next_cursor
    })
  return (
    <>
      <ul class="rows receipts">
        {[...newest, ...older.value.filter(({ receipt_id }) => !known.has(receipt_id))].map((receipt) => (
          <ReceiptRow
            key={receipt.receipt_id}
            title={receipt.summary === undefined ? receipt.capability_id : say(receipt.summary)}
            used={describeUse(receipt, names)}
            state={receipt.result}
            at={receipt.created_at}
            facts={{
              capability_id: receipt.capability_id,
              route_surface: receipt.route_surface,
              approval_mode: receipt.approval_mode,
              project_id: receipt.project_id,
              identity_asserted_kind: receipt.identity_asserted_kind,
              identity_asserted_ref: receipt.identity_asserted_ref,
              auth_profile_id: receipt.auth_profile_id,
              correlation_id: receipt.correlation_id,
              dispatch_id: receipt.dispatch_id,
            }}
          />
        ))}
      </ul>
      {next !== undefined && (
        <button type="button" onClick={() => void readOlder()}>
          {t.receipts.older}
        </button>
      )}
    </>
  )
}

/** Which connector or which local skill was used. */
function describeUse(
  { connector_server_id: id, capability_id }: CapabilityUseReceipt,
  names: ReadonlyMap<string, string>,
): string {
  return id === undefined
    ? further.connectorReceipts.usedLocal(formatName(capability_id))
    : further.connectorReceipts.usedMcp(names.get(id) ?? id)
}
