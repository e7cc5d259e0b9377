import type { SceneDispatch } from '@apprentice/contracts/scenes/dispatch.ts'
import type { ScenePlan, SceneSignal } from '@apprentice/contracts/scenes/plan.ts'
import { Badge } from '../parts/basic.tsx'
import { Facts } from '../parts/facts.tsx'
import type { Tone } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { say } from '../text/say.ts'
import { further } from '../text/further.ts'

const TONES: Readonly<Record<SceneDispatch['outcome'], Tone>> = {
  not_deterministic: 'plain',
  no_scene: 'plain',
  ambiguous_scene: 'busy',
  missing_params: 'busy',
  ambiguous_params: 'busy',
  plan: 'good',
}

/** What an instruction means: the scene, its arguments, and which words led to it. */
export const DispatchView = ({ dispatch }: { readonly dispatch: SceneDispatch }) => (
  <div class="dispatch">
    <p>
      <Badge tone={TONES[dispatch.outcome]}>{further.scenes.outcomes[dispatch.outcome]}</Badge>{' '}
      {say(dispatch.explanation)}
    </p>
    <Content dispatch={dispatch} />
  </div>
)

function Content({ dispatch }: { readonly dispatch: SceneDispatch }) {
  switch (dispatch.outcome) {
    case 'not_deterministic':
      return null
    case 'no_scene':
      return (
        <ul class="plain">
          {dispatch.excluded.map(({ scene_id, keyword }) => (
            <li key={scene_id}>{further.scenes.excluded(scene_id, keyword)}</li>
          ))}
        </ul>
      )
    case 'ambiguous_scene':
      return (
        <ul class="plain lines">
          {dispatch.candidates.map(({ scene_id, title, score, signals }) => (
            <li key={scene_id}>
              <strong>{title}</strong> <small>{further.scenes.points(score)}</small>
              <Signals signals={signals} />
            </li>
          ))}
        </ul>
      )
    case 'missing_params':
    case 'ambiguous_params':
      return (
        <>
          <ul class="plain">
            {dispatch.params.map(({ name, prompt, candidates }) => (
              <li key={name}>
                <Icon name="help" size={14} /> {prompt}{' '}
                {candidates.map(({ label }) => (
                  <span key={label} class="chip">
                    {label}
                  </span>
                ))}
              </li>
            ))}
          </ul>
          <Signals signals={dispatch.signals} />
        </>
      )
    case 'plan':
      return <PlanView plan={dispatch.plan} />
  }
}

/** What a run does, and why this scene. */
export function PlanView({ plan }: { readonly plan: ScenePlan }) {
  const { scene_id, scene_version, args, bootstrap, allowed_domains, signals } = plan
  const given = Object.entries(args)
  return (
    <>
      <Facts
        facts={[
          [further.scenes.scene, `${scene_id} (${further.scenes.version(scene_version)})`],
          [
            further.scenes.args,
            given.length === 0
              ? further.scenes.noArgs
              : given.map(([name, value]) => (
                  <div key={name}>
                    <code>{name}</code> {typeof value === 'string' ? value : JSON.stringify(value)}
                  </div>
                )),
          ],
          [further.scenes.opens, bootstrap.target_url],
          [further.scenes.mayAlsoUse, allowed_domains.join(', ')],
        ]}
      />
      <Signals signals={signals} />
    </>
  )
}

const Signals = ({ signals }: { readonly signals: readonly SceneSignal[] }) => (
  <ul class="plain signals" aria-label={further.scenes.signals}>
    {signals.map(({ kind, matched, points, found, explanation }) => (
      <li key={kind} class={matched ? 'step-good' : ''} title={say(explanation)}>
        <Icon name={matched ? 'check' : 'minus'} size={14} /> {further.scenes.signalKinds[kind]}
        <span class="found">{found.join(', ')}</span>
        <small>{matched ? further.scenes.points(points) : further.scenes.notMatched}</small>
      </li>
    ))}
  </ul>
)
