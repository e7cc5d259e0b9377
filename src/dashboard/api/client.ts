import { signal } from '@preact/signals'
import { ApiFailure, createClient } from '@apprentice/contracts/client.ts'

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
      error: { code: 'UNREACHABLE', message: 'The daemon does not answer.', retryable: true },
    })
  })
  reachable.value = true
  // The login has ended. The daemon then serves the login page.
  if (response.status === 401) location.reload()
  return response
}

export { ApiFailure }

/** The message of anything that was thrown. */
export const readMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
