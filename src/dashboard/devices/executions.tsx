import { listRecentRuns } from '@apprentice/contracts/abilities/learn-from.ts'
import { cancelExecution, type ExecutionRecord, listExecutions } from '@apprentice/contracts/devices/executions.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { toLearnFrom } from '../learn/shortcuts.ts'
import { StateBadge, Time } from '../parts/basic.tsx'
import { formatDuration } from '../parts/format.ts'
import { readExecutionFailure } from '../phone/phone-input.ts'
import { formatName, t } from '../text/text.ts'

const PAGE_SIZE = 12
const RECENT = { page_size: 100 }

/** The latest executions on a phone. */
export function Executions({ serial }: { readonly serial: string }) {
  const query = { serial, page_size: PAGE_SIZE }
  const { data, reload } = useResource(serial, () => call(listExecutions, { query }), {
    changesWith: ['execution.'],
    pollMs: 5000,
  })
  const recent = useResource('recent-runs', () => call(listRecentRuns, { query: RECENT }), {
    changesWith: ['execution.'],
  })
  const examples = new Set(recent.data.value?.runs.flatMap((run) => (run.succeeded ? [run.execution_id] : [])))
  const executions = data.value?.executions
  return (
    <section class="panel executions">
      <h2>{t.devices.executions}</h2>
      {executions?.length === 0 && <p class="hint">{t.devices.noExecutions}</p>}
      <ol>
        {executions?.map((record) => (
          <Row
            key={record.execution_id}
            record={record}
            isExample={examples.has(record.execution_id)}
            onChanged={reload}
          />
        ))}
      </ol>
    </section>
  )
}

const NAMED_ACTIONS = 3

/** The first kinds of actions, and how many actions there are. */
function nameActions(actions: ExecutionRecord['execution']['actions']): string {
  const types = [...new Set(actions.map(({ type }) => formatName(type)))]
  const first = types.slice(0, NAMED_ACTIONS).join(', ')
  return types.length <= NAMED_ACTIONS ? first : `${first} … (${t.teach.past.steps(actions.length)})`
}

interface RowProps {
  readonly record: ExecutionRecord
  /** Its screens are stored, so it can be learned from. */
  readonly isExample: boolean
  readonly onChanged: () => Promise<void>
}

function Row({ record, isExample, onChanged }: RowProps) {
  const { execution_id: executionId, execution, source, goal, state, queued_at, started_at, settled_at } = record
  const name = goal ?? nameActions(execution.actions)
  const isOpen = settled_at === undefined
  return (
    <li>
      <span>{name}</span>
      <small>{formatName(source)}</small>
      <StateBadge state={state} />
      {started_at !== undefined && settled_at !== undefined && (
        <small>{formatDuration(Date.parse(settled_at) - Date.parse(started_at))}</small>
      )}
      <Time at={queued_at} />
      {isExample && (
        <a href={toLearnFrom(executionId)} aria-label={t.shortcuts.useAsExampleOf(name)}>
          {t.shortcuts.useAsExample}
        </a>
      )}
      {isOpen && (
        <button
          type="button"
          aria-label={t.devices.cancelOf(name)}
          onClick={() => void attempt(() => call(cancelExecution, { params: { executionId }, body: {} }), onChanged)}
        >
          {t.devices.cancelExecution}
        </button>
      )}
      {state === 'failed' && <small class="why">{readExecutionFailure(record)}</small>}
    </li>
  )
}
