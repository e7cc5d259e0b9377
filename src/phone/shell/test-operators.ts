import type { FileTree } from '../host/file-tree.ts'
import { compileRegex } from './regex.ts'

/** An operator of `test` and `[[` with one operand. */
export function testFile(operator: string, value: string, files: FileTree): boolean {
  const stat = files.stat(value)
  const isFolder = files.isFolder(value)
  switch (operator) {
    case '-n':
      return value !== ''
    case '-z':
      return value === ''
    case '-d':
      return isFolder
    case '-f':
      return stat !== undefined && !isFolder
    case '-s':
      return (stat?.size ?? 0) > 0
    case '-x':
      return stat !== undefined && (stat.mode & 0o111) !== 0
    default:
      return ['-e', '-r', '-w', '-a', '-O', '-G'].includes(operator) && stat !== undefined
  }
}

/** True if `test` has this operator with one operand. */
export function isUnary(operator: string): boolean {
  return /^-[abcdefghknoprstuwxzGLOS]$/.test(operator)
}

/** An operator with two operands. Undefined if there is no such operator. */
export function testStrings(left: string, operator: string, right: string): boolean | undefined {
  const compare = NUMERIC[operator]
  if (compare !== undefined) return compare(toInteger(left), toInteger(right))
  switch (operator) {
    case '=':
    case '==':
      return left === right
    case '!=':
      return left !== right
    case '<':
      return left < right
    case '>':
      return left > right
    case '=~':
      return compileRegex(right, { syntax: 'extended' })?.find(left) !== undefined
    default:
      return undefined
  }
}

const NUMERIC: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '-eq': (left, right) => left === right,
  '-ne': (left, right) => left !== right,
  '-lt': (left, right) => left < right,
  '-le': (left, right) => left <= right,
  '-gt': (left, right) => left > right,
  '-ge': (left, right) => left >= right,
}

/** Thrown for an operand that is no integer. */
export class BadNumberError extends Error {}

function toInteger(text: string): number {
  const trimmed = text.trim()
  if (!/^[-+]?\d+$/.test(trimmed)) throw new BadNumberError(`${text}: bad number`)
  return Number(trimmed)
}
