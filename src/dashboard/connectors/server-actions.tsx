import { useSignal } from '@preact/signals'
import type { ServerListItem } from '@apprentice/contracts/connectors/server.ts'
import { deleteConnectorServer } from '@apprentice/contracts/connectors/servers.ts'
import { refreshConnectorSignIn } from '@apprentice/contracts/connectors/sign-in.ts'
import type { ServerAction } from '@apprentice/contracts/connectors/values.ts'
import { useLocation } from 'preact-iso'
import { attempt, notify } from '../app/notices.tsx'
import { isAdmin, mayWrite } from '../app/privilege.ts'
import { call } from '../api/client.ts'
import { Confirm } from '../parts/dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { further } from '../text/further.ts'
import { ServerForm } from './server-form.tsx'
import { SignOutForm } from './sign-out-form.tsx'
import { SmokeTest } from './smoke-test.tsx'
import { toServerHref } from './server-list.ts'
import { type SignInControl, useSignIn } from './use-sign-in.ts'

interface ServerActionsProps {
  readonly server: ServerListItem
  readonly onChanged: () => Promise<void>
}

type Opened = 'edit' | 'delete' | 'revoke_auth' | 'smoke_test'

/** The actions that the daemon offers for a server, and no others. Delete stands apart. */
export function ServerActions({ server, onChanged }: ServerActionsProps) {
  const { registry, available_actions } = server
  const { server_id: serverId, display_name: name } = registry
  const { route } = useLocation()
  const opened = useSignal<Opened | undefined>(undefined)
  const isBusy = useSignal(false)
  const signIn = useSignIn(serverId, name, onChanged)
  const refresh = async (): Promise<void> => {
    isBusy.value = true
    const body = { server_id: serverId, force: true }
    const isDone = await attempt(() => call(refreshConnectorSignIn, { params: { serverId }, body }), onChanged)
    isBusy.value = false
    if (isDone) notify(further.signIn.refreshed)
  }
  const act = (action: ServerAction): void => {
    if (action === 'connect_auth') void signIn.start()
    else if (action === 'refresh_auth') void refresh()
    else if (action === 'policy_update') route(`${toServerHref(serverId)}#policy`)
    else opened.value = action
  }
  const close = (): void => {
    opened.value = undefined
  }
  return (
    <div class="server-actions">
      <div class="buttons" role="group" aria-label={further.connectors.actionsOf(name)}>
        {available_actions.map((action) => (
          <ActionButton key={action} action={action} name={name} isBusy={isBusy.value} onAct={() => act(action)} />
        ))}
      </div>
      {isBusy.value && (
        <p class="working" role="status">
          <Icon name="wait" /> {further.connectors.working(name)}
        </p>
      )}
      <SignInWaiting control={signIn} />
      {opened.value === 'edit' && <ServerForm server={server} onSaved={onChanged} onClose={close} />}
      {opened.value === 'revoke_auth' && <SignOutForm registry={registry} onChanged={onChanged} onClose={close} />}
      {opened.value === 'smoke_test' && <SmokeTest server={server} onChanged={onChanged} onClose={close} />}
      {opened.value === 'delete' && <DeleteQuestion server={server} onChanged={onChanged} onClose={close} />}
    </div>
  )
}

interface ActionButtonProps {
  readonly action: ServerAction
  readonly name: string
  readonly isBusy: boolean
  readonly onAct: () => void
}

const LOOKS: Readonly<Partial<Record<ServerAction, string>>> = { connect_auth: 'primary', delete: 'danger quiet' }

function ActionButton({ action, name, isBusy, onAct }: ActionButtonProps) {
  const label = further.connectors.actions[action]
  // To look at the policy needs no privilege.
  const isAllowed = action === 'policy_update' || (action === 'smoke_test' ? mayWrite.value : isAdmin.value)
  const refusal = action === 'smoke_test' ? further.connectors.writeOnly : further.connectors.adminOnly
  return (
    <button
      type="button"
      class={`small ${LOOKS[action] ?? ''}`}
      disabled={!isAllowed || isBusy}
      title={isAllowed ? undefined : refusal}
      aria-label={further.connectors.actionOf(label, name)}
      onClick={onAct}
    >
      {label}
    </button>
  )
}

/** What the person does in the other window, and a link if the browser blocked it. */
function SignInWaiting({ control: { page, stop } }: { readonly control: SignInControl }) {
  if (page.value === undefined) return null
  const { url, isDisplayed } = page.value
  return (
    <p class="working" role="status">
      <Icon name="wait" /> {isDisplayed ? further.signIn.waiting : further.signIn.blocked}{' '}
      {!isDisplayed && (
        <a href={url} target="_blank" rel="noopener noreferrer">
          {further.signIn.openPage}
        </a>
      )}
      <button type="button" class="small" onClick={stop}>
        {further.signIn.stop}
      </button>
    </p>
  )
}

interface QuestionProps extends ServerActionsProps {
  readonly onClose: () => void
}

function DeleteQuestion({ server: { registry }, onChanged, onClose }: QuestionProps) {
  const { server_id: serverId, display_name: name } = registry
  const { route, path } = useLocation()
  const remove = async (): Promise<void> => {
    await attempt(async () => {
      const { auth_profile_action } = await call(deleteConnectorServer, { params: { serverId } })
      notify(`${further.connectors.deleted(name)} ${further.connectors.deletedProfile[auth_profile_action]}`.trim())
      if (path !== '/connectors') route('/connectors')
    }, onChanged)
  }
  return (
    <Confirm
      title={further.connectors.deleteTitle(name)}
      text={further.connectors.deleteText}
      action={further.connectors.actions.delete}
      onConfirm={() => void remove()}
      onClose={onClose}
    />
  )
}
