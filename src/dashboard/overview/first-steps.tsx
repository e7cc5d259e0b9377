import { listOwnRuns } from '@apprentice/contracts/abilities/run-figures.ts'
import { listExecutions } from '@apprentice/contracts/devices/executions.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'

const ONE = { page_size: 1 }

/** What to do first in an empty home. Each step ticks itself off; when all are done, nothing is displayed. */
export function FirstSteps({ hasAbility }: { readonly hasAbility: boolean }) {
  const read = () =>
    Promise.all([call(listExecutions, { query: ONE }), call(listOwnRuns, { query: { ...ONE, state: 'success' } })])
  const { data } = useResource('first-steps', read, { changesWith: ['execution.', 'ability.run.'] })
  if (data.value === undefined) return null
  const [executions, runs] = data.value
  if (runs.total > 0) return null
  const steps = [
    { text: t.overview.takePhone, href: '/devices', isDone: executions.total > 0 },
    { text: t.overview.teach, href: '/learn/new', isDone: hasAbility },
    { text: t.overview.runIt, href: '/skills', isDone: false },
  ]
  return (
    <section class="panel first-steps">
      <h2>{t.overview.firstSteps}</h2>
      <ol>
        {steps.map(({ text, href, isDone }) => (
          <li key={href} class={isDone ? 'done' : ''}>
            <Icon name={isDone ? 'done' : 'circle'} />
            <a href={href}>{text}</a>
            {isDone && <small>{t.overview.stepDone}</small>}
          </li>
        ))}
      </ol>
    </section>
  )
}
