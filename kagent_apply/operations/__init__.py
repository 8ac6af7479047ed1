"""Operations on instances, carried through store and Substrate however often they are interrupted."""
