import type { ConnectorPolicies } from '@apprentice/contracts/connectors/policy.ts'
import type { ServerListItem, ToolHealth } from '@apprentice/contracts/connectors/server.ts'
import { patchConnectorServer } from '@apprentice/contracts/connectors/servers.ts'
import { attempt, offerUndo } from '../app/notices.tsx'
import { isAdmin } from '../app/privilege.ts'
import { call } from '../api/client.ts'
import { Badge, Time } from '../parts/basic.tsx'
import { further } from '../text/further.ts'
import { EffectiveMode } from './effective-mode.tsx'
import { findMode } from './policy-list.ts'
import { PolicySwitch } from './policy-switch.tsx'

interface ToolListProps {
  readonly server: ServerListItem
  readonly policies: ConnectorPolicies
  readonly onChanged: () => Promise<void>
}

type ToolPolicy = ConnectorPolicies['tools'][number]

/** The tools of a server: whether they may be called, how they work, and what the policy says about each. */
export function ToolList({ server, policies, onChanged }: ToolListProps) {
  const { registry, health } = server
  const isNew = policies.tools.some(({ tool_name }) => !registry.supported_tools.includes(tool_name))
  return (
    <section class="panel tools">
      <h2>{further.connectorHealth.tools}</h2>
      {policies.tools.length === 0 && <p class="hint">{further.connectorHealth.noTools}</p>}
      {isNew && <p class="hint">{further.connectorHealth.newTools}</p>}
      <ul class="plain lines">
        {policies.tools.map((tool) => (
          <li key={tool.tool_name}>
            <div class="tool-head">
              <strong>{tool.tool_name}</strong> <small>{further.connectorHealth.classes[tool.action_class]}</small>
              <ToolState health={health.tool_health[tool.tool_name]} />
            </div>
            <CallableSwitch server={server} tool={tool.tool_name} onChanged={onChanged} />
            <ToolPolicyParts server={server} policies={policies} tool={tool} onChanged={onChanged} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Whether the last call of a tool worked. */
function ToolState({ health }: { readonly health: ToolHealth | undefined }) {
  if (health === undefined) return <small>{further.connectorHealth.notTried}</small>
  return (
    <>
      <Badge tone={health.ok ? 'good' : 'bad'}>
        {health.ok ? further.connectorHealth.works : further.connectorHealth.fails}
      </Badge>
      {health.last_error !== undefined && <small class="error">{health.last_error}</small>}
      {health.last_http_status !== undefined && <small>HTTP {health.last_http_status}</small>}
      {health.last_checked_at !== undefined && <Time at={health.last_checked_at} />}
    </>
  )
}

interface CallableSwitchProps {
  readonly server: ServerListItem
  readonly tool: string
  readonly onChanged: () => Promise<void>
}

function CallableSwitch({ server: { registry }, tool, onChanged }: CallableSwitchProps) {
  const { server_id: serverId, supported_tools } = registry
  const isCallable = supported_tools.includes(tool)
  const set = (tools: readonly string[]) =>
    call(patchConnectorServer, { params: { serverId }, body: { supported_tools: [...tools] } })
  const change = () =>
    attempt(async () => {
      await set(isCallable ? supported_tools.filter((one) => one !== tool) : [...supported_tools, tool])
      if (!isCallable) return
      offerUndo(`${tool}: ${further.connectorHealth.mayCall}`, async () => {
        await set(supported_tools)
        await onChanged()
      })
    }, onChanged)
  return (
    <label class="check">
      <input
        type="checkbox"
        aria-label={further.connectorHealth.mayCallOf(tool)}
        checked={isCallable}
        disabled={!isAdmin.value}
        onChange={({ currentTarget }) => {
          // The daemon decides; the box follows its answer.
          currentTarget.checked = isCallable
          void change()
        }}
      />{' '}
      {further.connectorHealth.mayCall}
    </label>
  )
}

interface ToolPolicyPartsProps extends ToolListProps {
  readonly tool: ToolPolicy
}

function ToolPolicyParts({ server: { registry }, policies, tool, onChanged }: ToolPolicyPartsProps) {
  const { server_id, provider } = registry
  const { tool_name, effective_policy } = tool
  const targets = [
    [further.connectorPolicy.global, { target_kind: 'global' }],
    [further.connectorPolicy.provider, { target_kind: 'provider', provider }],
    [further.connectorPolicy.server, { target_kind: 'server', server_id }],
    [further.connectorPolicy.tool, { target_kind: 'tool', server_id, tool_name }],
  ] as const
  return (
    <div class="tool-policy">
      <PolicySwitch
        target={targets[3][1]}
        name={tool_name}
        mode={findMode(policies, targets[3][1])}
        onChanged={onChanged}
      />
      <EffectiveMode policy={effective_policy} />
      <details>
        <summary aria-label={further.connectorPolicy.whyOf(tool_name)}>{further.connectorPolicy.why}</summary>
        <dl class="facts">
          {targets.map(([label, target]) => {
            const mode = findMode(policies, target)
            return (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{mode === undefined ? further.connectorPolicy.notSet : further.connectorPolicy.modes[mode]}</dd>
              </div>
            )
          })}
        </dl>
        <p class="hint">{explain(tool)}</p>
        <ol class="how" aria-label={further.connectorPolicy.precedence}>
          {effective_policy.precedence_trace.map((rule) => (
            <li key={rule} translate={false}>
              <code>{rule}</code>
            </li>
          ))}
        </ol>
      </details>
    </div>
  )
}

function explain({ effective_policy: { decision }, action_class }: ToolPolicy): string {
  if (decision.updated_by !== 'system') return further.connectorPolicy.whyDecided
  return action_class === 'read' ? further.connectorPolicy.whyRead : further.connectorPolicy.whyWrite
}
