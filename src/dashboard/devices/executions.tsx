import { cancelExecution, type ExecutionRecord, listExecutions } from '@apprentice/contracts/devices/executions.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { StateBadge, Time } from '../parts/basic.tsx'
import { formatDuration } from '../parts/format.ts'
import { readExecutionFailure } from '../phone/phone-input.ts'
import { formatName, t } from '../text/text.ts'

const PAGE_SIZE = 12

/** The latest executions on a phone. */
export function Executions({ serial }: { readonly serial: string }) {
  const query = { serial, page_size: PAGE_SIZE }
  const { data, reload } = useResource(serial, () => call(listExecutions, { query }), {
    changesWith: ['execution.'],
    pollMs: 5000,
  })
  const executions = data.value?.executions
  return (
    <section class="panel executions">
      <h2>{t.devices.executions}</h2>
      {executions?.length === 0 && <p class="hint">{t.devices.noExecutions}</p>}
      <ol>
        {executions?.map((record) => (
          <Row key={record.execution_id} record={record} onChanged={reload} />
        ))}
      </ol>
    </section>
  )
}

interface RowProps {
  readonly record: ExecutionRecord
  readonly onChanged: () => Promise<void>
}

function Row({ record, onChanged }: RowProps) {
  const { execution_id: executionId, execution, source, goal, state, queued_at, started_at, settled_at } = record
  const types = new Set(execution.actions.map(({ type }) => formatName(type)))
  const name = goal ?? [...types].join(', ')
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
