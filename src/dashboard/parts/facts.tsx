import type { ComponentChildren } from 'preact'

interface FactsProps {
  /** Names and values. A fact without a value is left out. */
  readonly facts: readonly (readonly [string, ComponentChildren])[]
}

export const Facts = ({ facts }: FactsProps) => (
  <dl class="facts">
    {facts
      .filter(([, value]) => value !== undefined && value !== '' && value !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
