import { type ExecutionRecord, listExecutions } from '@apprentice/contracts/devices/executions.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { StateBadge, Time } from '../parts/basic.tsx'
import { readExecutionFailure } from '../phone/phone-input.ts'
import { formatName, t } from '../text/text.ts'

const PAGE_SIZE = 12

/** The latest executions on a phone. */
export function Executions({ serial }: { readonly serial: string }) {
  const query = { serial, page_size: PAGE_SIZE }
  const { data } = useResource(serial, () => call(listExecutions, { query }), {
    changesWith: ['execution.'],
    pollMs: 5000,
  })
  const executions = data.value?.executions ?? []
  if (executions.length === 0) return null
  return (
    <section class="panel executions">
      <h3>{t.devices.executions}</h3>
      <ol>
        {executions.map((record) => (
          <Row key={record.execution_id} record={record} />
        ))}
      </ol>
    </section>
  )
}

function Row({ record }: { readonly record: ExecutionRecord }) {
  const { execution, source, state, queued_at } = record
  const types = new Set(execution.actions.map(({ type }) => formatName(type)))
  return (
    <li>
      <span>{[...types].join(', ')}</span>
      <small>{formatName(source)}</small>
      <StateBadge state={state} />
      <Time at={queued_at} />
      {state === 'failed' && <small class="why">{readExecutionFailure(record)}</small>}
    </li>
  )
}
