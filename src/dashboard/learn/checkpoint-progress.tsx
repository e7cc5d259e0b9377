import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { say } from '../text/say.ts'
import { formatName, t } from '../text/text.ts'

const MARKS: Readonly<Record<string, IconName>> = { reached: 'done', skipped: 'skip', failed: 'failed' }

/** The checkpoints of a draft in their order, each with the last report about it if there is one. */
export function CheckpointProgress({
  detail: { interpretation, checkpoint_receipts },
}: {
  readonly detail: LearnSessionDetail
}) {
  if (interpretation === undefined || interpretation.checkpoints.length === 0) return null
  const ordered = interpretation.checkpoints.toSorted((a, b) => (a.order_hint ?? 0) - (b.order_hint ?? 0))
  return (
    <section class="panel checkpoints">
      <h3>{t.teach.checkpoints.title}</h3>
      <ol>
        {ordered.map(({ checkpoint_id, goal }) => {
          const report = checkpoint_receipts.findLast((one) => one.checkpoint_id === checkpoint_id)
          return (
            <li key={checkpoint_id} class={report?.status ?? 'open'}>
              <Icon name={MARKS[report?.status ?? ''] ?? 'circle'} />
              {report === undefined ? (
                <span>
                  {say(goal)} ({t.teach.checkpoints.notReached})
                </span>
              ) : (
                <details>
                  <summary>
                    {say(goal)} ({formatName(report.status)})
                  </summary>
                  {report.reason !== undefined && <p>{say(report.reason)}</p>}
                  <p>{report.evidence}</p>
                </details>
              )}
            </li>
          )
        })}
      </ol>
    </section>
  )
}
