import { signal } from '@preact/signals'
import { ApiFailure, createClient } from '@apprentice/contracts/client.ts'
import { say, sayFailure } from '../text/say.ts'
import { formatName, t } from '../text/text.ts'

/** False from a request that the daemon did not answer until it answers one. */
export const reachable = signal(true)

/** Calls routes of the daemon that served this page. The browser adds the cookie of the login. */
export const call = createClient({ baseUrl: '', fetch: fetchAsUser })

/** Sends forms by itself, because only then it can report the uploaded part. */
export const formClient = createClient({ baseUrl: '' })

async function fetchAsUser(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request).catch(() => {
    reachable.value = false
    throw new ApiFailure(0, {
      error: { code: 'UNREACHABLE', message: t.nav.daemonDown, retryable: true },
    })
  })
  reachable.value = true
  // The login has ended. The daemon then serves the login page.
  if (response.status === 401) location.reload()
  return response
}

export { ApiFailure }

/** The message of anything that was thrown. A field that was refused is named as pages name it. */
export function readMessage(error: unknown): string {
  if (!(error instanceof ApiFailure)) return error instanceof Error ? error.message : String(error)
  return (error.code === 'INVALID_REQUEST' ? describeField(error) : undefined) ?? sayFailure(error)
}

function describeField({ details: { issues } }: ApiFailure): string | undefined {
  const [first] = Array.isArray(issues) ? (issues as readonly { field: string; message: string }[]) : []
  if (first === undefined) return undefined
  const name = formatName(first.field.replaceAll('.', ', '))
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  const said = say(first.message)
  return said === first.message && t.common.invalidField !== undefined
    ? t.common.invalidField(title)
    : `${title} ${said}.`
}
