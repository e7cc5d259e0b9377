import { getInstallSaga, type InstallSaga, SagaStep } from '@apprentice/contracts/abilities/installs.ts'
import { listReceipts } from '@apprentice/contracts/learn/receipts.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Icon } from '../parts/icon.tsx'
import { say } from '../text/say.ts'
import { t } from '../text/text.ts'

const STEPS = SagaStep.options.filter((step) => step !== 'done')
const POLL_MS = 500

interface ProgressProps {
  readonly proposalId: string
  readonly isInstalling: boolean
}

/** The steps of the newest installation of a draft, while it runs and if it failed. */
export function InstallProgress({ proposalId, isInstalling }: ProgressProps) {
  const { data } = useResource(`${proposalId}/saga/${isInstalling}`, () => readSaga(proposalId), {
    changesWith: ['learn.install', 'ability.'],
    ...(isInstalling && { pollMs: POLL_MS }),
  })
  const saga = data.value
  if (saga === undefined || (saga.status === 'completed' && !isInstalling)) return null
  return (
    <section class="part saga" aria-live="polite">
      <h4>{t.teach.review.installing}</h4>
      <ol>
        {STEPS.map((step) => (
          <li key={step} class={describeStep(saga, step)}>
            <Icon name={ICONS[describeStep(saga, step)]} /> {t.teach.review.saga[step]}
          </li>
        ))}
      </ol>
      {saga.error_reason !== undefined && (
        <p class="error">{t.teach.review.sagaFailed(t.teach.review.saga[saga.step], say(saga.error_reason))}</p>
      )}
      {saga.status === 'compensated' && <p>{t.teach.review.compensated}</p>}
      {saga.status === 'degraded' && <p>{t.teach.review.degraded}</p>}
    </section>
  )
}

const ICONS = { reached: 'done', running: 'wait', failed: 'failed', open: 'circle' } as const

function describeStep(saga: InstallSaga, step: SagaStep): keyof typeof ICONS {
  const at = SagaStep.options.indexOf(step)
  const now = SagaStep.options.indexOf(saga.step)
  if (at < now) return 'reached'
  if (at > now) return 'open'
  return saga.status === 'running' ? 'running' : 'failed'
}

async function readSaga(proposalId: string): Promise<InstallSaga | undefined> {
  const query = { proposal_id: proposalId, receipt_kind: 'learn.install.started', page_size: 1 } as const
  const { receipts } = await call(listReceipts, { query })
  const sagaId = receipts[0]?.saga_id
  return sagaId === undefined ? undefined : (await call(getInstallSaga, { params: { sagaId } })).saga
}
