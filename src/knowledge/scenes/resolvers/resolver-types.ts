import { dictionaryEntity } from './dictionary-entity.ts'
import { fixedEnum } from './fixed-enum.ts'
import { literalPassthrough } from './literal-passthrough.ts'
import { monthWeekPeriod } from './month-week-period.ts'
import type { ResolverType } from './resolver.ts'

/** All types of resolvers. A new need of a scene is a further type here and never a special case for that scene. */
const RESOLVER_TYPES: readonly ResolverType[] = [dictionaryEntity, monthWeekPeriod, fixedEnum, literalPassthrough]

export const listResolverTypes = (): string[] => RESOLVER_TYPES.map(({ type }) => type)

export const findResolverType = (type: string): ResolverType | undefined =>
  RESOLVER_TYPES.find((one) => one.type === type)
