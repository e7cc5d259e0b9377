import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import { patchConnectorServer } from '@apprentice/contracts/connectors/servers.ts'
import { attempt, offerUndo } from '../app/notices.tsx'
import { isAdmin } from '../app/privilege.ts'
import { call } from '../api/client.ts'
import { further } from '../text/further.ts'

interface EnableSwitchProps {
  readonly registry: ConnectorServer
  readonly onChanged: () => Promise<void>
}

/** Enables or disables a server. It can be taken back. */
export function EnableSwitch({
  registry: { server_id: serverId, display_name, enabled },
  onChanged,
}: EnableSwitchProps) {
  const set = (next: boolean) => call(patchConnectorServer, { params: { serverId }, body: { enabled: next } })
  const change = () =>
    attempt(async () => {
      await set(!enabled)
      const text = enabled ? further.connectors.disabledNow(display_name) : further.connectors.enabledNow(display_name)
      offerUndo(text, async () => {
        await set(enabled)
        await onChanged()
      })
    }, onChanged)
  const label = enabled ? further.connectors.disable : further.connectors.enable
  return (
    <button
      type="button"
      class="small"
      disabled={!isAdmin.value}
      title={isAdmin.value ? undefined : further.connectors.adminOnly}
      aria-label={further.connectors.actionOf(label, display_name)}
      onClick={() => void change()}
    >
      {label}
    </button>
  )
}
