import type { ComponentChildren } from 'preact'
import type { Understanding } from '@apprentice/contracts/learn/understanding.ts'
import { Icon } from '../parts/icon.tsx'
import { say } from '../text/say.ts'
import { formatName, t } from '../text/text.ts'

/** What a draft made now would contain. It changes after each action. */
export function Understood({ understanding }: { readonly understanding: Understanding | undefined }) {
  return (
    <section class="panel understood" aria-live="polite">
      <h3>{t.teach.understood.title}</h3>
      {understanding === undefined ? (
        <p class="hint">{t.teach.understood.nothing}</p>
      ) : (
        <Facts understanding={understanding} />
      )}
    </section>
  )
}

function Facts({ understanding }: { readonly understanding: Understanding }) {
  const { title, inputs, outputs, steps, proofs, left_out, open_points, repeatable } = understanding
  return (
    <dl class="facts">
      <Fact name={t.teach.understood.ability}>{title}</Fact>
      <Fact name={t.teach.understood.inputs}>
        {inputs.length === 0
          ? t.teach.understood.noInputs
          : inputs.map(({ name, example }) => (
              <span key={name} class="input-fact">
                <b>{formatName(name)}</b> {example !== undefined && <q>{example}</q>}
              </span>
            ))}
      </Fact>
      {outputs.length > 0 && <Fact name={t.teach.understood.outputs}>{outputs.map(formatName).join(', ')}</Fact>}
      <Fact name={t.teach.understood.steps}>
        <ol>
          {steps.map(({ description }, at) => (
            <li key={at}>{say(description)}</li>
          ))}
        </ol>
      </Fact>
      <Fact name={t.teach.understood.proof}>
        {proofs.length === 0 && <span class="hint">{t.teach.understood.noProof}</span>}
        {proofs.map((proof) => (
          <span key={proof} class="proof">
            <Icon name="done" /> {say(proof)}
          </span>
        ))}
      </Fact>
      {left_out.length > 0 && (
        <Fact name={t.teach.understood.leftOut}>
          {left_out.map(({ summary }, at) => (
            <span key={at}>{say(summary)}</span>
          ))}
        </Fact>
      )}
      {open_points.length > 0 && (
        <Fact name={t.teach.understood.asked}>
          {open_points.map((point) => (
            <span key={point}>{say(point)}</span>
          ))}
        </Fact>
      )}
      {!repeatable && <p class="hint">{t.teach.understood.notRepeatable}</p>}
    </dl>
  )
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
