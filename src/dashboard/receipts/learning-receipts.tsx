import { useSignal } from '@preact/signals'
import { listReceipts } from '@apprentice/contracts/learn/receipts.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Empty, Pager, ReadFailure, Skeleton } from '../parts/basic.tsx'
import { say } from '../text/say.ts'
import { further } from '../text/further.ts'
import { t } from '../text/text.ts'
import { ReceiptRow } from './receipt-row.tsx'

const PAGE_SIZE = 30

/** Every decision and change in learning, installing, importing and configuring. */
export function LearningReceipts() {
  const page = useSignal(1)
  const { data, failure, reload } = useResource(
    `receipts/${page.value}`,
    () => call(listReceipts, { query: { page: page.value, page_size: PAGE_SIZE } }),
    { changesWith: ['learn.', 'ability.', 'skill.', 'policy.'] },
  )
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton />
  const { receipts, total } = data.value
  if (total === 0) return <Empty icon="receipt" title={t.receipts.noLearning} />
  return (
    <>
      <ul class="rows receipts">
        {receipts.map((receipt) => (
          <ReceiptRow
            key={receipt.receipt_id}
            title={further.receiptKinds[receipt.receipt_kind] ?? say(receipt.summary)}
            state={receipt.status}
            at={receipt.created_at}
            facts={{
              summary: further.receiptKinds[receipt.receipt_kind] === undefined ? undefined : say(receipt.summary),
              actor: receipt.actor_ref ?? receipt.actor,
              reason: receipt.reason && say(receipt.reason),
              ability_id: receipt.ability_id,
              correlation_id: receipt.correlation_id,
              receipt_id: receipt.receipt_id,
            }}
          />
        ))}
      </ul>
      <Pager page={page.value} pages={Math.ceil(total / PAGE_SIZE)} onPage={(next) => (page.value = next)} />
    </>
  )
}
