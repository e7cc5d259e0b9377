import { type Signal, useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { useEffect } from 'preact/hooks'
import { dispatchScene, MAX_INSTRUCTION, type SceneDispatch } from '@apprentice/contracts/scenes/dispatch.ts'
import { listSceneProfiles, startSceneRun } from '@apprentice/contracts/scenes/runs.ts'
import type { SceneEntry } from '@apprentice/contracts/scenes/scenes.ts'
import { attempt } from '../app/notices.tsx'
import { mayWrite, privilege } from '../app/privilege.ts'
import { call, readMessage } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Field } from '../parts/basic.tsx'
import { further } from '../text/further.ts'
import { DispatchView } from './dispatch-view.tsx'

/** The plan follows the words after this pause. */
const PAUSE_MS = 300

interface InstructionBoxProps {
  readonly instruction: Signal<string>
  readonly scenes: readonly SceneEntry[]
}

/** Displays what an instruction means while it is typed, and runs it. */
export function InstructionBox({ instruction, scenes }: InstructionBoxProps) {
  const { route } = useLocation()
  const url = useSignal('')
  const title = useSignal('')
  const profile = useSignal('')
  const isStarting = useSignal(false)
  const given = {
    // The suffix must be the end, and a line break after it cannot be seen.
    instruction: instruction.value.trimEnd(),
    page: { ...(url.value !== '' && { url: url.value }), ...(title.value !== '' && { title: title.value }) },
  }
  const { dispatch, failure } = useDispatch(given)
  const suffix = scenes[0]?.suffix
  const plan = dispatch?.outcome === 'plan' ? dispatch.plan : undefined
  const run = async (): Promise<void> => {
    isStarting.value = true
    await attempt(async () => {
      const chosen = profile.value === '' ? {} : { profile: profile.value }
      const { run: started } = await call(startSceneRun, { body: { ...given, ...chosen } })
      route(`/scenes/runs/${started.run_id}`)
    })
    isStarting.value = false
  }
  return (
    <form
      class="panel instruction"
      onSubmit={(event) => {
        event.preventDefault()
        void run()
      }}
    >
      <Field label={further.scenes.instruction} hint={suffix && further.scenes.instructionHint(suffix)}>
        <textarea
          name="instruction"
          rows={2}
          maxLength={MAX_INSTRUCTION}
          value={instruction.value}
          onInput={({ currentTarget }) => (instruction.value = currentTarget.value)}
        />
      </Field>
      <details>
        <summary>{further.scenes.pageContext}</summary>
        <Field label={further.scenes.pageUrl}>
          <input
            value={url.value}
            maxLength={2000}
            onInput={({ currentTarget }) => (url.value = currentTarget.value)}
          />
        </Field>
        <Field label={further.scenes.pageTitle}>
          <input
            value={title.value}
            maxLength={500}
            onInput={({ currentTarget }) => (title.value = currentTarget.value)}
          />
        </Field>
      </details>
      <div class="meaning" aria-live="polite" aria-label={further.scenes.planning} role="region">
        {failure !== undefined && <p class="error">{failure}</p>}
        {dispatch === undefined && failure === undefined && <p class="hint">{further.scenes.typeFirst}</p>}
        {dispatch !== undefined && <DispatchView dispatch={dispatch} />}
      </div>
      {dispatch?.outcome === 'not_deterministic' && suffix !== undefined && (
        <button type="button" class="small" onClick={() => (instruction.value = instruction.value.trimEnd() + suffix)}>
          {further.scenes.addSuffix(suffix)}
        </button>
      )}
      {plan !== undefined && <ProfileChoice domain={plan.bootstrap.expected_domain} profile={profile} />}
      <div class="buttons">
        <button class="primary" disabled={plan === undefined || isStarting.value || !mayWrite.value}>
          {further.scenes.run}
        </button>
        {privilege.value !== undefined && !mayWrite.value && <small>{further.scenes.readOnly}</small>}
      </div>
    </form>
  )
}

interface Given {
  readonly instruction: string
  readonly page: { readonly url?: string; readonly title?: string }
}

/** What the daemon says about an instruction, a moment after it was typed. A reply that was overtaken is dropped. */
function useDispatch(given: Given): {
  readonly dispatch: SceneDispatch | undefined
  readonly failure: string | undefined
} {
  const found = useSignal<{ readonly dispatch?: SceneDispatch; readonly failure?: string }>({})
  const key = JSON.stringify(given)
  useEffect(() => {
    if (given.instruction === '') {
      found.value = {}
      return undefined
    }
    let isOvertaken = false
    const read = async (): Promise<void> => {
      const next = await call(dispatchScene, { body: given }).then(
        ({ dispatch }) => ({ dispatch }),
        (error: unknown) => ({ failure: readMessage(error) }),
      )
      if (!isOvertaken) found.value = next
    }
    const timer = setTimeout(() => void read(), PAUSE_MS)
    return () => {
      isOvertaken = true
      clearTimeout(timer)
    }
  }, [key])
  return { dispatch: found.value.dispatch, failure: found.value.failure }
}

interface ProfileChoiceProps {
  readonly domain: string
  readonly profile: Signal<string>
}

/** The sign-ins of the person to the page of the scene. */
function ProfileChoice({ domain, profile }: ProfileChoiceProps) {
  const { data } = useResource('scene-profiles', () => call(listSceneProfiles))
  const own = (data.value?.profiles ?? []).filter((one) => one.domain === domain)
  if (own.length === 0) return null
  return (
    <Field label={further.scenes.profile}>
      <select value={profile.value} onChange={({ currentTarget }) => (profile.value = currentTarget.value)}>
        <option value="">{further.scenes.noProfile}</option>
        {own.map(({ profile_id, name }) => (
          <option key={profile_id} value={name}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  )
}
