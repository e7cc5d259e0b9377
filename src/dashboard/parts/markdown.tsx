import DOMPurify from 'dompurify'
import { marked } from 'marked'
import { useEffect, useRef } from 'preact/hooks'

interface MarkdownProps {
  readonly source: string
  /** The level of the heading that the document is under: its own headings come below that. */
  readonly under: 1 | 2 | 3 | 4
}

/** Rendered Markdown. What is not plain formatting, such as scripts, forms and images, is removed. */
export function Markdown({ source, under }: MarkdownProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const html = marked.parse(stripFrontmatter(source), { async: false })
    const content = DOMPurify.sanitize(html, {
      RETURN_DOM_FRAGMENT: true,
      FORBID_TAGS: ['style', 'form', 'input', 'img', 'iframe'],
      FORBID_ATTR: ['style'],
    })
    lowerHeadings(content, under)
    place.current?.replaceChildren(content)
  }, [source])
  return <div ref={place} class="markdown" />
}

/** A document begins with its own first heading, which is not the first one of the page. */
function lowerHeadings(content: DocumentFragment, under: number): void {
  for (const heading of content.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const level = Number(heading.tagName.slice(1))
    const lowered = document.createElement(`h${Math.min(6, level + under)}`)
    lowered.className = `level-${level}`
    lowered.replaceChildren(...heading.childNodes)
    heading.replaceWith(lowered)
  }
}

function stripFrontmatter(source: string): string {
  if (!source.startsWith('---\n')) return source
  const end = source.indexOf('\n---\n', 3)
  return end === -1 ? source : source.slice(end + 5)
}
