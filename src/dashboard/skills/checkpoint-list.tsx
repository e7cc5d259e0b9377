import type { AbilityRun } from '@apprentice/contracts/abilities/runs.ts'
import { listDispatchCheckpointReceipts } from '@apprentice/contracts/learn/receipts.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge, StateBadge, Time } from '../parts/basic.tsx'
import { say, sayFailure } from '../text/say.ts'
import { t } from '../text/text.ts'
import { nameCheckpoint } from './run-steps.ts'

/** The checkpoints of a run in order, and those that the agent of its dispatch reported. */
export function CheckpointList({ run }: { readonly run: AbilityRun }) {
  const { checkpoints_reached: reached, trouble, dispatch_id: dispatchId = '' } = run
  const { data } = useResource(
    `checkpoints/${dispatchId}`,
    async () =>
      dispatchId === ''
        ? []
        : (await call(listDispatchCheckpointReceipts, { params: { dispatchId }, query: {} })).receipts,
    { changesWith: ['checkpoint.'] },
  )
  const reported = data.value ?? []
  const missed = trouble?.checkpoint_id
  if (reached.length + reported.length === 0 && missed === undefined) return null
  return (
    <section class="panel">
      <h2>{t.run.checkpoints}</h2>
      <ol class="plain checkpoints">
        {reached.map((id) => (
          <li key={id}>
            <Badge tone="good">{t.run.reached}</Badge> {nameCheckpoint(id)}
          </li>
        ))}
        {missed !== undefined && (
          <li>
            <Badge tone="bad">{t.run.notReached}</Badge> {nameCheckpoint(missed)}{' '}
            {trouble !== undefined && <small>{t.run.troubles[trouble.code] ?? sayFailure(trouble)}</small>}
          </li>
        )}
        {reported.map(({ checkpoint_receipt_id, checkpoint_id, status, evidence, reason, created_at }) => (
          <li key={checkpoint_receipt_id}>
            <details>
              <summary>
                <StateBadge state={status} /> {nameCheckpoint(checkpoint_id)} <Time at={created_at} />
              </summary>
              <p>{say(reason ?? evidence)}</p>
            </details>
          </li>
        ))}
      </ol>
    </section>
  )
}
