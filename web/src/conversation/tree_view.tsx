import { useMemo } from 'preact/hooks';
import { Icon } from '../parts/icons';
import { clock } from '../parts/time';
import type { Node } from './shapes';
import { leafBelow, pathTo, rowsOf } from './tree';

interface Props { nodes: Node[]; leaf: string | null; head: string | null; onChoose: (node: string | null) => void; onClose: () => void }

const STEPS_MAX = 8; // of indentation

export function Tree({ nodes, leaf, head, onChoose, onClose }: Props) {
  const rows = useMemo(() => rowsOf(nodes), [nodes]);
  const path = useMemo(() => pathTo(nodes, leaf), [nodes, leaf]);
  const choose = (id: string) => {
    const end = leafBelow(nodes, id);
    onChoose(end === head ? null : end);
  };
  return (
    <aside class="tree" aria-label="Tree of the conversation">
      <header><h3>Tree</h3><button type="button" class="plain" aria-label="Close the tree" onClick={onClose}><Icon name="close" /></button></header>
      <ul>
        {rows.map(({ node, depth, label, isFork, goesOn }) => (
          <li key={node.id} class={`step-${Math.min(depth, STEPS_MAX)}${path.has(node.id) ? ' on-path' : ''}${isFork ? ' fork' : ''}${goesOn ? ' goes-on' : ''}`}>
            <button type="button" aria-current={path.has(node.id) ? 'true' : undefined} onClick={() => choose(node.id)}>
              <i aria-hidden="true" /><span class="tree-label">{label}</span><time dateTime={node.created_at}>{clock(node.created_at).slice(0, 5)}</time>
            </button>
          </li>
        ))}
      </ul>
    </aside>
  );
}
