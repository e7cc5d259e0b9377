import { useSignal } from '@preact/signals'
import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import { revokeConnectorSignIn } from '@apprentice/contracts/connectors/sign-in.ts'
import { attempt, notify } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Dialog } from '../parts/dialog.tsx'
import { further } from '../text/further.ts'
import { t } from '../text/text.ts'

interface SignOutFormProps {
  readonly registry: ConnectorServer
  readonly onChanged: () => Promise<void>
  readonly onClose: () => void
}

/** Asks once before the tokens of a server are forgotten. */
export function SignOutForm({ registry, onChanged, onClose }: SignOutFormProps) {
  const { server_id: serverId, display_name: name } = registry
  const isRemote = useSignal(false)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const body = { server_id: serverId, revoke_remote: isRemote.value }
    onClose()
    const isDone = await attempt(() => call(revokeConnectorSignIn, { params: { serverId }, body }), onChanged)
    if (isDone) notify(further.signIn.signedOut(name))
  }
  return (
    <Dialog title={further.signIn.signOutTitle(name)} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p>{further.signIn.signOutText}</p>
        <label class="check">
          <input
            type="checkbox"
            checked={isRemote.value}
            onChange={({ currentTarget }) => (isRemote.value = currentTarget.checked)}
          />{' '}
          {further.signIn.alsoRemote}
        </label>
        <div class="buttons end">
          <button type="button" onClick={onClose}>
            {t.common.keep}
          </button>
          <button class="danger">{further.connectors.actions.revoke_auth}</button>
        </div>
      </form>
    </Dialog>
  )
}
