import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { MAX_ITEMS, RunInputs } from '@apprentice/contracts/abilities/run-parts.ts'
import { UsageError } from '../terminal/usage-error.ts'

export type RunItems = readonly RunInputs[]

/** Parses `--each name=a,b,c`: one item for each value. */
export function parseEach(argument: string): RunItems {
  const [, name, values] = /^(\w{1,64})=(.*)$/s.exec(argument) ?? []
  if (name === undefined || values === undefined) throw new InvalidArgumentError('Expected name=value,value.')
  return values.split(',').map((value) => ({ [name]: value.trim() }))
}

const ItemFile = z.array(RunInputs).min(1).max(MAX_ITEMS)

/** Reads `--items <file>`: a JSON array of objects with inputs. */
export function readItems(file: string): RunItems {
  const parsed = ItemFile.safeParse(parseJson(file))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new UsageError(
    `${file} must be a JSON array of 1 to ${MAX_ITEMS} objects with inputs: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  )
}

function parseJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
}
