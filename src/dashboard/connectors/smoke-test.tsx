import { useSignal } from '@preact/signals'
import type { ServerListItem } from '@apprentice/contracts/connectors/server.ts'
import { smokeTestConnector, type SmokeTestResult } from '@apprentice/contracts/connectors/servers.ts'
import { call, readMessage } from '../api/client.ts'
import { Badge, Field } from '../parts/basic.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { readField } from '../parts/form-field.ts'
import { Icon } from '../parts/icon.tsx'
import { say } from '../text/say.ts'
import { further } from '../text/further.ts'
import { formatName, t } from '../text/text.ts'

interface SmokeTestProps {
  readonly server: ServerListItem
  readonly onChanged: () => Promise<void>
  readonly onClose: () => void
}

const STEPS = ['auth_ok', 'transport_ok', 'tool_discovery_ok'] as const
const TONES = { passed: 'good', degraded: 'busy', failed: 'bad', blocked: 'bad' } as const

/** Connects to a server now and says what worked. */
export function SmokeTest({ server: { registry }, onChanged, onClose }: SmokeTestProps) {
  const { server_id: serverId, display_name: name, supported_tools } = registry
  const tool = useSignal('')
  const isRunning = useSignal(false)
  const result = useSignal<SmokeTestResult | undefined>(undefined)
  const refusal = useSignal<string | undefined>(undefined)
  const argsProblem = useSignal<string | undefined>(undefined)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const args = parseArguments(readField(new FormData(event.currentTarget), 'args'))
    argsProblem.value = args === undefined ? further.connectorHealth.argsWrong : undefined
    if (args === undefined) return
    isRunning.value = true
    refusal.value = result.value = undefined
    try {
      const called = tool.value === '' ? {} : { tool_name: tool.value, payload_preview: args }
      const body = { server_id: serverId, ...called }
      result.value = await call(smokeTestConnector, { params: { serverId }, body })
    } catch (error) {
      refusal.value = readMessage(error)
    } finally {
      isRunning.value = false
      await onChanged()
    }
  }
  return (
    <Dialog title={further.connectorHealth.smokeTitle(name)} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p class="hint">{further.connectorHealth.smokeHint}</p>
        <Field label={further.connectorHealth.toolToCall}>
          <select value={tool.value} onChange={({ currentTarget }) => (tool.value = currentTarget.value)}>
            <option value="">{further.connectorHealth.noTool}</option>
            {supported_tools.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </Field>
        {tool.value !== '' && (
          <Field label={further.connectorHealth.args} hint={further.connectorHealth.argsHint} error={argsProblem.value}>
            <textarea name="args" rows={3} defaultValue="{}" />
          </Field>
        )}
        <div class="buttons end">
          <button type="button" onClick={onClose}>
            {t.common.close}
          </button>
          <button class="primary" disabled={isRunning.value}>
            {further.connectorHealth.runTest}
          </button>
        </div>
      </form>
      <div role="status">
        {isRunning.value && (
          <p class="working">
            <Icon name="wait" /> {further.connectorHealth.testing(name)}
          </p>
        )}
        {result.value !== undefined && <Outcome result={result.value} />}
      </div>
      {refusal.value !== undefined && (
        <p class="error" role="alert">
          {refusal.value}
        </p>
      )}
    </Dialog>
  )
}

function Outcome({ result }: { readonly result: SmokeTestResult }) {
  const reason = result.failure_reason_code ?? result.error_code
  return (
    <div class="smoke-result">
      <p>
        <Badge tone={TONES[result.status]}>{further.connectorHealth.results[result.status]}</Badge>{' '}
        {result.summary && say(result.summary)}
      </p>
      <ul class="plain">
        {STEPS.map((step) => (
          <li key={step} class={result[step] ? 'step-good' : 'step-bad'}>
            <Icon name={result[step] ? 'done' : 'failed'} size={14} /> {further.connectorHealth.steps[step]}
          </li>
        ))}
      </ul>
      {reason !== undefined && (
        <p class="hint">
          {further.connectorHealth.reason}: {formatName(reason)}
        </p>
      )}
      {result.discovered_tools.length > 0 && (
        <p class="hint">
          {further.connectorHealth.discovered(result.discovered_tools.length)}: {result.discovered_tools.join(', ')}
        </p>
      )}
    </div>
  )
}

/** Undefined if the text is no JSON object. An empty text is an empty object. */
function parseArguments(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
