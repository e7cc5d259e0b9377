import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { attempt, notify } from '../app/notices.tsx'
import { further } from '../text/further.ts'
import { signIn, type SignInEnd } from './sign-in.ts'

/** The page on which a person signs in, while the daemon waits for that. */
export interface SignInPage {
  readonly url: string
  /** Whether the browser opened a window with it. */
  readonly isDisplayed: boolean
}

export interface SignInControl {
  readonly page: ReadonlySignal<SignInPage | undefined>
  readonly start: () => Promise<void>
  readonly stop: () => void
}

/** Signs in to a server and says how it ended. Leaving the page stops the waiting, not the sign-in. */
export function useSignIn(serverId: string, name: string, onChanged: () => Promise<void>): SignInControl {
  const page = useSignal<SignInPage | undefined>(undefined)
  const abort = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => abort.current?.abort(), [])
  const start = async (): Promise<void> => {
    abort.current?.abort()
    const { signal } = (abort.current = new AbortController())
    await attempt(async () => {
      const onPage = (url: string, isDisplayed: boolean): void => {
        page.value = { url, isDisplayed }
      }
      sayEnd(await signIn(serverId, { onPage, signal }), name)
    }, onChanged)
    page.value = undefined
  }
  return { page, start, stop: () => abort.current?.abort() }
}

function sayEnd(end: SignInEnd, name: string): void {
  if (end.kind === 'done') notify(further.signIn.done(name))
  else if (end.kind === 'partly') notify(further.signIn.partly(end.scopes.join(', ')), 'bad')
  else if (end.kind === 'failed') notify(further.signIn.failed(end.code), 'bad')
  else if (end.kind !== 'stopped') notify(further.signIn[end.kind], 'bad')
}
