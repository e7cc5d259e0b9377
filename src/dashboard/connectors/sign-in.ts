import type { ServerAuthStatus } from '@apprentice/contracts/connectors/server.ts'
import { getConnectorAuthStatus } from '@apprentice/contracts/connectors/servers.ts'
import { startConnectorSignIn } from '@apprentice/contracts/connectors/sign-in.ts'
import { call } from '../api/client.ts'

const POLL_MS = 1500
/** A sign-in is good for ten minutes from its start. */
const LIMIT_MS = 600_000
const WINDOW_FEATURES = 'popup,width=560,height=740'

export type SignInEnd =
  | { readonly kind: 'done' | 'closed' | 'late' | 'stopped' }
  | { readonly kind: 'partly'; readonly scopes: readonly string[] }
  | { readonly kind: 'failed'; readonly code: string }

interface SignInOptions {
  /** Called with the address of the sign-in page, and whether a window displays it. */
  readonly onPage: (url: string, isDisplayed: boolean) => void
  readonly signal: AbortSignal
}

/**
 * Signs in to a server in a window, and asks the daemon how it goes until it has ended. Call it in the handler of a
 * click: otherwise the browser blocks the window.
 */
export async function signIn(serverId: string, { onPage, signal }: SignInOptions): Promise<SignInEnd> {
  const popup = window.open('', '', WINDOW_FEATURES)
  try {
    const before = await readStatus(serverId)
    const body = { server_id: serverId, interactive_hint: 'popup' as const }
    const { auth_url } = await call(startConnectorSignIn, { params: { serverId }, body })
    onPage(auth_url, popup !== null)
    if (popup !== null) popup.location.href = auth_url
    return await waitForEnd(before, popup, signal)
  } finally {
    popup?.close()
  }
}

const readStatus = (serverId: string): Promise<ServerAuthStatus> =>
  call(getConnectorAuthStatus, { params: { serverId } })

async function waitForEnd(before: ServerAuthStatus, popup: Window | null, signal: AbortSignal): Promise<SignInEnd> {
  const deadline = Date.now() + LIMIT_MS
  while (Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    if (signal.aborted) return { kind: 'stopped' }
    // Read before the status, so that the last status is from after the window was closed.
    const isClosed = popup?.closed === true
    const end = readEnd(before, await readStatus(before.server_id))
    if (end !== undefined) return end
    if (isClosed) return { kind: 'closed' }
  }
  return { kind: 'late' }
}

/** How the sign-in ended, if the status shows that it has. */
function readEnd(before: ServerAuthStatus, now: ServerAuthStatus): SignInEnd | undefined {
  if (now.auth_state === 'healthy') return { kind: 'done' }
  const isGranted = now.scopes_granted.some((scope) => !before.scopes_granted.includes(scope))
  if (isGranted && now.scopes_missing.length > 0) return { kind: 'partly', scopes: now.scopes_missing }
  const code = now.last_auth_error_code
  return code === undefined || code === before.last_auth_error_code ? undefined : { kind: 'failed', code }
}
